"""A broker that refuses every password: the embedded one takes any.

It speaks so much of Kafka's protocol as a client needs to be refused: ApiVersions, SaslHandshake
and SaslAuthenticate, with the layouts of Kafka's protocol guide.
"""

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

METADATA, SASL_HANDSHAKE, API_VERSIONS, SASL_AUTHENTICATE = 3, 17, 18, 36
UNSUPPORTED_VERSION, SASL_AUTHENTICATION_FAILED = 35, 58
LAST_VERSIONS = {METADATA: 1, SASL_HANDSHAKE: 1, API_VERSIONS: 0, SASL_AUTHENTICATE: 0}


@contextmanager
def refusing_broker() -> Iterator[str]:
    """Give the address of one that runs."""
    with ThreadingTCPServer(("127.0.0.1", 0), _Refusal) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


class _Refusal(StreamRequestHandler):
    def handle(self) -> None:
        while head := self.rfile.read(4):
            request = self.rfile.read(struct.unpack(">i", head)[0])
            key, version, number = struct.unpack_from(">hhi", request)
            answer = struct.pack(">i", number) + _answer(key, version)
            self.wfile.write(struct.pack(">i", len(answer)) + answer)


def _answer(key: int, version: int) -> bytes:
    if key == API_VERSIONS:
        error = UNSUPPORTED_VERSION if version > LAST_VERSIONS[API_VERSIONS] else 0
        known = [struct.pack(">hhh", key, 0, last) for key, last in LAST_VERSIONS.items()]
        return struct.pack(">hi", error, len(known)) + b"".join(known)
    if key == SASL_HANDSHAKE:
        return struct.pack(">hih", 0, 1, len("PLAIN")) + b"PLAIN"
    said = b"wrong password"
    return struct.pack(">hh", SASL_AUTHENTICATION_FAILED, len(said)) + said + struct.pack(">i", 0)
