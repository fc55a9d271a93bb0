"""What is between a listener and the network: addresses, certificates, TLS."""
