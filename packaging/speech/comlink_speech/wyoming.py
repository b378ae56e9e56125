"""Events of the Wyoming protocol: a line of JSON, then JSON and octets as long as the line says."""

import asyncio
import json

LINE_BYTES = 64 * 1024
DATA_BYTES = 256 * 1024
PAYLOAD_BYTES = 1024 * 1024


class Refused(Exception):
    """What came is not Wyoming, or too much of it."""


def _length(header, name, most):
    value = header.get(name)
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise Refused(f"{name} must be a number from 0 to {most}")
    return value


def _object(octets):
    try:
        value = json.loads(octets)
    except (ValueError, RecursionError) as error:
        raise Refused("not JSON") from error
    if not isinstance(value, dict):
        raise Refused("not a JSON object")
    return value


async def read_event(reader):
    """The next event as (type, data, payload); None at the end of the connection."""
    try:
        line = await reader.readline()
    except ValueError as error:
        raise Refused(f"a line is longer than {LINE_BYTES} bytes") from error
    if not line.endswith(b"\n"):
        return None
    header = _object(line)
    kind, data = header.get("type"), header.get("data") or {}
    if not isinstance(kind, str) or not isinstance(data, dict):
        raise Refused("an event needs a type, and its data is an object")
    data_bytes = _length(header, "data_length", DATA_BYTES)
    payload_bytes = _length(header, "payload_length", PAYLOAD_BYTES)
    try:
        if data_bytes:
            data = {**data, **_object(await reader.readexactly(data_bytes))}
        payload = await reader.readexactly(payload_bytes) if payload_bytes else b""
    except asyncio.IncompleteReadError:
        return None
    return kind, data, payload


def event(kind, data=None, payload=b""):
    """An event as octets."""
    header = {"type": kind}
    if data:
        header["data"] = data
    if payload:
        header["payload_length"] = len(payload)
    return json.dumps(header, ensure_ascii=False).encode() + b"\n" + payload
