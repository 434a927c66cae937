"""Messages between the two sides, and the line that a side's result is known by."""

import json
import socket
import struct

MARK = "PDPROV-NIXL-RESULT "
LIMIT = 16 << 20


def send(sock, message, token=""):
    data = json.dumps(dict(message, token=token)).encode()
    sock.sendall(struct.pack("!I", len(data)) + data)


def receive(sock, token=""):
    (length,) = struct.unpack("!I", exactly(sock, 4))
    if length > LIMIT:
        raise ValueError("a message of %d bytes" % length)
    message = json.loads(exactly(sock, length))
    if not isinstance(message, dict) or message.get("token") != token:
        raise ValueError("it does not come from the run that this listener waits for")
    return message


def exactly(sock, n):
    data = b""
    while len(data) < n:
        try:
            part = sock.recv(n - len(data))
        except socket.timeout:
            raise ConnectionError("the other side said nothing for %g s" % sock.gettimeout()) from None
        if not part:
            raise ConnectionError("the other side closed the connection")
        data += part
    return data


def marked(printed):
    """The result behind the last mark; libraries print to the same place."""
    at = printed.rfind("\n" + MARK)
    if at < 0:
        return None
    line, newline, _ = printed[at + 1 + len(MARK):].partition("\n")
    try:
        result = json.loads(line) if newline else None
    except ValueError:
        return None
    return result if isinstance(result, dict) else None
