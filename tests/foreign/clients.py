"""Peers of the examples of libraries, on the loopback interface. A client returns what it received. It ends
its connections by half, and waits until the program closes them, so that the program is done with them."""
import base64
import contextlib
import hashlib
import http.client
import socket
import ssl
import struct
import threading
import time

TIMEOUT = 20.0
PAGE = "<html>an example</html>\n"  # index.html of the web servers


def connect(port):
    end = time.monotonic() + TIMEOUT
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), TIMEOUT)
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)


def receive(peer, count):
    data = b""
    while len(data) < count:
        more = peer.recv(count - len(data))
        if not more:
            break
        data += more
    return data


def close(peer):
    with peer, contextlib.suppress(ConnectionResetError):
        peer.shutdown(socket.SHUT_WR)
        return receive(peer, 1 << 20)


def echo(port):
    said = []
    for connection in range(3):
        peer = connect(port)
        for line in range(3):
            text = f"connection {connection} line {line} {'x' * 900}\n".encode()
            peer.sendall(text)
            said.append(receive(peer, len(text)))
        said.append(close(peer) or b"closed\n")
    return b"".join(said).decode()


def chat(port):
    """Each participant receives all messages: the earlier ones when it joins."""
    said, history, peers = [], b"", []
    for name in ("first", "second", "third"):
        peers.append(connect(port))
        said.append(receive(peers[-1], len(history)))
        text = f"{name} joined\n".encode()
        peers[-1].sendall(text)
        said += [receive(peer, len(text)) for peer in peers]
        history += text
    for peer in peers:
        close(peer)
    return b"".join(said).decode()


@contextlib.contextmanager
def server(port, serve):
    """Calls serve(connection) for each connection to this port."""
    def accept():
        with contextlib.suppress(OSError):
            while True:
                peer, _ = listener.accept()
                peer.settimeout(TIMEOUT)
                with peer, contextlib.suppress(ConnectionError, TimeoutError):
                    serve(peer)
    with socket.create_server(("127.0.0.1", port)) as listener:
        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(TIMEOUT)


def serve_echo(peer):
    while data := peer.recv(4096):
        peer.sendall(data)


def serve_http(peer):
    read_head(peer)
    peer.sendall(f"HTTP/1.1 200 OK\r\nContent-Length: {len(PAGE)}\r\nConnection: close\r\n\r\n{PAGE}".encode())


def http_get(port, context=None):
    """A file, its header, an absent file, an illegal path, a method that is not supported."""
    connect(port).close()  # waits until it listens
    said = []
    for method, path in (("GET", "/index.html"), ("HEAD", "/"), ("GET", "/absent"), ("GET", "/../up"), ("PUT", "/")):
        if context:
            connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=TIMEOUT, context=context)
        else:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        connection.request(method, path)
        response = connection.getresponse()
        said.append(f"{method} {path}: {response.status} {response.getheaders()} {response.read()}")
        connection.close()
    return "\n".join(said)


# ---- WebSocket, RFC 6455 ----

def read_head(peer):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = peer.recv(1)
        if not byte:
            raise ConnectionError("closed in the header")
        head += byte
    return head.decode()


def frame(code, data, mask=b""):
    masked = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)) if mask else data
    return struct.pack("!BB", 0x80 | code, len(data) | (0x80 if mask else 0)) + mask + masked


def read_frame(peer):
    code, length = struct.unpack("!BB", receive(peer, 2))
    mask = receive(peer, 4) if length & 0x80 else b""
    data = receive(peer, length & 0x7f)
    return code & 0xf, bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)) if mask else data


def web_socket(port):
    peer = connect(port)
    peer.sendall(b"GET / HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
    said = [read_head(peer)]
    for text in (b"one", b"two"):
        peer.sendall(frame(1, text, b"mask"))
        said.append(str(read_frame(peer)))
    peer.sendall(frame(8, struct.pack("!H", 1000), b"mask"))
    said.append(str(read_frame(peer)))
    close(peer)
    return "\n".join(said)


def serve_web_socket(peer):
    head = read_head(peer)
    key = next(line.split(": ")[1] for line in head.split("\r\n") if line.lower().startswith("sec-websocket-key"))
    accept = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest())
    peer.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Accept: " + accept + b"\r\n\r\n")
    while True:
        code, data = read_frame(peer)
        peer.sendall(frame(code, data))
        if code == 8:
            return


def all_protocols(port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return "\n".join((http_get(port), http_get(port, context), web_socket(port)))
