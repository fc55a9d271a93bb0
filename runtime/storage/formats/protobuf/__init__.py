"""Protocol buffers: messages that a descriptor set describes, to columns."""
