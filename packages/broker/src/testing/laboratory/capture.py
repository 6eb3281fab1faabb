"""Writes one JSON line for each packet that leaves on an interface: capture.py INTERFACE

Reads a line from stdin, "end", and then says how many packets the kernel dropped unseen.
"""

import json
import socket
import struct
import sys
import threading

ETH_P_ALL = 0x0003
ETH_P_IP = 0x0800
ETH_P_IPV6 = 0x86DD
SOL_PACKET = 263
PACKET_STATISTICS = 6
SO_RCVBUFFORCE = 33
# The loopback shows each packet twice, as it leaves and as it arrives.
PACKET_OUTGOING = 4

TCP, UDP = 6, 17


def network_layer(kind, packet):
    if kind == ETH_P_IP:
        header = (packet[0] & 15) * 4
        length = struct.unpack_from("!H", packet, 2)[0]
        addresses = [socket.inet_ntop(socket.AF_INET, packet[at : at + 4]) for at in (12, 16)]
        return packet[9], addresses, packet[header : length or len(packet)]
    if kind == ETH_P_IPV6:
        length = struct.unpack_from("!H", packet, 4)[0]
        addresses = [socket.inet_ntop(socket.AF_INET6, packet[at : at + 16]) for at in (8, 24)]
        return packet[6], addresses, packet[40 : 40 + length]
    return -kind, ["", ""], packet


def describe(kind, packet):
    protocol, (source, destination), rest = network_layer(kind, packet)
    ports = struct.unpack_from("!HH", rest) if protocol in (TCP, UDP) else (0, 0)
    head = (rest[12] >> 4) * 4 if protocol == TCP else 8
    return {
        "protocol": protocol,
        "from": source,
        "fromPort": ports[0],
        "to": destination,
        "toPort": ports[1],
        "payload": max(0, len(rest) - head),
        # What a marker says; nobody else's bytes are kept.
        "text": rest[8:40].decode("latin1") if protocol == UDP and ports[1] == 9 else "",
    }


def main():
    capture = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    capture.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    capture.bind((sys.argv[1], ETH_P_ALL))

    def end():
        sys.stdin.readline()
        _, dropped = struct.unpack("II", capture.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
        print(json.dumps({"dropped": dropped}), flush=True)

    threading.Thread(target=end, daemon=True).start()
    print(json.dumps({"ready": True}), flush=True)
    while True:
        packet, (_, kind, direction, *_rest) = capture.recvfrom(65536)
        if direction == PACKET_OUTGOING:
            print(json.dumps(describe(kind, packet)), flush=True)


main()
