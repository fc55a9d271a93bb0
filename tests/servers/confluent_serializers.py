"""Confluent's own serializers, in a process of their own: they need packages that nothing else here does.

In that process:

    python -m servers.confluent_serializers '{"url": ..., "topic": ..., "schema": ..., "subject": ..., "values": "..."}'
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .python_packages import python_packages


def packages() -> Path:
    """The folder that is to be in the path of modules.  Raises Missing."""
    of = version("confluent-kafka")
    return python_packages(f"confluent-serializers-{of}", f"confluent-kafka[avro,schemaregistry]=={of}")


def avro_payloads(
    url: str, topic: str, schema: dict[str, Any], values: Sequence[Any], *, subject: str = "topic"
) -> list[bytes]:
    """Values as `AvroSerializer` writes them; it registers the schema.  `subject` is how it names that: topic, record, or topic_record."""
    payloads, _ = _serialized(url, topic, schema, values, subject, "prefix")
    return payloads


def avro_payloads_and_header(
    url: str, topic: str, schema: dict[str, Any], values: Sequence[Any]
) -> tuple[list[bytes], tuple[str, bytes]]:
    """As `avro_payloads`, with the id of the schema in a header, which is the same for all."""
    payloads, headers = _serialized(url, topic, schema, values, "topic", "header")
    ((name, value),) = set(headers)
    return payloads, (name, value)


def _serialized(
    url: str, topic: str, schema: dict[str, Any], values: Sequence[Any], subject: str, id_in: str
) -> tuple[list[bytes], list[tuple[str, bytes]]]:
    asked = {
        "id_in": id_in,
        "url": url,
        "topic": topic,
        "schema": json.dumps(schema),
        "subject": subject,
        "values": b64encode(pickle.dumps(list(values))).decode(),
    }
    done = subprocess.run(
        [sys.executable, "-m", "servers.confluent_serializers", json.dumps(asked)],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONPATH": str(packages())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    headers = [(name, b64decode(value)) for name, value in said["headers"]]
    return [b64decode(payload) for payload in said["payloads"]], headers


def main() -> None:
    from confluent_kafka.schema_registry import (
        SchemaRegistryClient,
        header_schema_id_serializer,
        prefix_schema_id_serializer,
        record_subject_name_strategy,
        topic_record_subject_name_strategy,
        topic_subject_name_strategy,
    )
    from confluent_kafka.schema_registry.avro import AvroSerializer
    from confluent_kafka.serialization import MessageField, SerializationContext

    asked = json.loads(sys.argv[1])
    strategies = {
        "topic": topic_subject_name_strategy,
        "record": record_subject_name_strategy,
        "topic_record": topic_record_subject_name_strategy,
    }
    serializer = AvroSerializer(
        SchemaRegistryClient({"url": asked["url"]}),
        asked["schema"],
        conf={
            "subject.name.strategy": strategies[asked["subject"]],
            "schema.id.serializer": {
                "prefix": prefix_schema_id_serializer,
                "header": header_schema_id_serializer,
            }[asked["id_in"]],
        },
    )
    headers: list[tuple[str, bytes]] = []
    context = SerializationContext(asked["topic"], MessageField.VALUE, headers)
    values = pickle.loads(b64decode(asked["values"]))
    payloads = [b64encode(serializer(value, context)).decode() for value in values]
    said = [(name, b64encode(value).decode()) for name, value in headers]
    print(json.dumps({"payloads": payloads, "headers": said}))


if __name__ == "__main__":
    main()
