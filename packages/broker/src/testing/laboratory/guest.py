"""Tries what it is told to, in a guest or outside: one JSON object a line in, one out.

{"probes": [...]} answers {"results": [text, ...]}; {"run": [argument, ...], "env": {...}}
answers {"code": ..., "stdout": ..., "stderr": ...}.
"""

import concurrent.futures
import json
import os
import re
import socket
import ssl
import struct
import subprocess
import sys
import threading

DOOR = ("127.0.0.1", 3128)
RELAY = ("127.0.0.1", 8128)
# Under emulation a handshake takes long; a packet that goes nowhere is never answered.
WAIT = 20
NO_ANSWER = 1

QUERY = bytes.fromhex("123401000001000000000000076578616d706c6503636f6d0000010001")
HTTP = b"GET /dns-query?dns=AAAA HTTP/1.1\r\nHost: dns.example\r\nConnection: close\r\n\r\n"


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def stream(target, port, first, secure=False):
    with socket.socket(family(target), socket.SOCK_STREAM) as plain:
        plain.settimeout(WAIT)
        plain.connect((target, port))
        sock = plain
        if secure:
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            sock = context.wrap_socket(plain)
        sock.sendall(first)
        return sock.recv(64)


def datagram(target, port, payload):
    with socket.socket(family(target), socket.SOCK_DGRAM) as sock:
        sock.settimeout(NO_ANSWER)
        sock.sendto(payload, (target, port))
        return sock.recv(64)


def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    total = (total >> 16) + (total & 0xFFFF)
    return ~(total + (total >> 16)) & 0xFFFF


def ping(target):
    six = ":" in target
    protocol = socket.IPPROTO_ICMPV6 if six else socket.IPPROTO_ICMP
    kind, reply = (128, 129) if six else (8, 0)
    head = struct.pack("!BBHHH", kind, 0, 0, 0x4444, 1)
    if not six:
        head = struct.pack("!BBHHH", kind, 0, checksum(head), 0x4444, 1)
    with socket.socket(family(target), socket.SOCK_RAW, protocol) as sock:
        sock.settimeout(NO_ANSWER)
        sock.sendto(head, (target, 0))
        while True:
            packet = sock.recv(256)
            if packet[0 if six else 20] == reply:
                return packet


def plain(technique, target, port):
    if technique in ("udp", "dns-udp", "ntp"):
        payload = {"udp": b"ping", "dns-udp": QUERY, "ntp": b"\x23" + bytes(47)}[technique]
        return datagram(target, port, payload)
    if technique == "icmp":
        return ping(target)
    framed = struct.pack("!H", len(QUERY)) + QUERY
    first = {"tcp": b"ping", "dns-tcp": framed, "dns-tls": framed, "dns-https": HTTP}[technique]
    return stream(target, port, first, secure=technique in ("dns-tls", "dns-https"))


def head(sock):
    text = b""
    while b"\r\n\r\n" not in text:
        more = sock.recv(1)
        if not more:
            break
        text += more
    length = re.search(rb"(?i)^content-length: ([0-9]+)\r$", text, re.M)
    left = int(length.group(1)) if length else 0
    while left > 0:
        left -= len(sock.recv(left)) or left
    return text.decode("latin1")


def say(to, first, octets):
    with socket.create_connection(to, WAIT) as sock:
        for text in filter(None, (first, octets)):
            sock.sendall(text.encode("latin1"))
            answer = head(sock)
        status = re.match(r"HTTP/1\.1 ([0-9]{3}) ", answer)
        reason = re.search(r"(?m)^Drydock-Reason: ([A-Z_]+)\r$", answer)
        if reason:
            return reason.group(1)
        return status.group(1) if status else "no answer"


def attempt(probe):
    how, octets = probe["how"], probe.get("octets")
    try:
        if how == "plain":
            return "reached" if plain(probe["technique"], probe["target"], probe["port"]) else "closed"
        if how == "name":
            return "reached" if socket.getaddrinfo(probe["target"], probe["port"]) else "closed"
        if how == "datagram":
            return "reached" if datagram(*DOOR, octets.encode("latin1")) else "closed"
        return say(RELAY if how == "relay" else DOOR, probe.get("first"), octets)
    except OSError as error:
        return "failed: %s" % (error.strerror or type(error).__name__)


def relay():
    """A proxy of the guest's own, which passes on to the door whatever it is sent."""

    def carry(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            # One side is gone: so is the other.
            source.close()
            sink.close()

    server = socket.create_server(RELAY, backlog=64)
    while True:
        client, _ = server.accept()
        try:
            door = socket.create_connection(DOOR)
        except OSError:
            client.close()
            continue
        for pair in ((client, door), (door, client)):
            threading.Thread(target=carry, args=pair, daemon=True).start()


def run(order):
    try:
        done = subprocess.run(
            order["run"],
            env={**os.environ, **order.get("env", {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=order.get("seconds", 120),
        )
        texts = done.stdout.decode("utf8", "replace"), done.stderr.decode("utf8", "replace")
        return {"code": done.returncode, "stdout": texts[0], "stderr": texts[1]}
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"code": -1, "stdout": "", "stderr": str(error)}


def main():
    threading.Thread(target=relay, daemon=True).start()
    print(json.dumps({"ready": True}), flush=True)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for line in sys.stdin:
            order = json.loads(line)
            if "run" in order:
                answer = run(order)
            else:
                answer = {"results": list(pool.map(attempt, order["probes"]))}
            print(json.dumps(answer), flush=True)


main()
