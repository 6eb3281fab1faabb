/** What no cell tries, because it isn't refused, or can't be. */
export interface BeyondTheMatrix {
  readonly what: string;
  readonly status: "mitigated" | "not covered";
  readonly how: string;
}

export const BEYOND: readonly BeyondTheMatrix[] = [
  {
    what: "Fronting behind a matching server name: the ClientHello names the granted authority, the request inside another host of the same front end",
    status: "not covered",
    how: "Without termination nobody here sees the request. With `terminate` it is tested: Host, `:authority` and server name have to be the authority.",
  },
  {
    what: "Sending data out through a granted authority itself: an upload, a repository, an issue",
    status: "mitigated",
    how: "Only what is granted, up to `maxBytesUp`, every tunnel with its bytes in a receipt; with `requests`, only those methods and paths.",
  },
  {
    what: "A proxy or a redirector that is reached through a granted authority",
    status: "not covered",
    how: "What a granted service does on somebody's behalf is that service's. Grant none that forwards.",
  },
  {
    what: "An encrypted ClientHello where `allowEch` makes the exception",
    status: "not covered",
    how: "The inner name can't be seen. Without the exception it is refused, decoys included.",
  },
  {
    what: "Names that are looked up as a message to whoever serves their zone",
    status: "mitigated",
    how: "Guests get no DNS, and only exact granted names are looked up: what can be chosen is whether and when.",
  },
  {
    what: "Timing and order of granted connections as a message to the upstream",
    status: "not covered",
    how: "Byte and time limits bound it; nothing hides it.",
  },
  {
    what: "A NAT64 translator with a prefix of its operator's own (RFC 6052 §2.2)",
    status: "not covered",
    how: "Its addresses look like any other. The well-known and the local-use prefixes are judged by what they embed.",
  },
  {
    what: "A resolver of the policy that answers with a wrong address, but a public one",
    status: "mitigated",
    how: "Answers have to be global, complete and to the question; TLS proves the name to the client. For `tcp-opaque` and `http` nothing does.",
  },
  {
    what: "Planted values that leave encoded in a way that isn't watched for, or encrypted",
    status: "mitigated",
    how: "Canaries are found as they are, in base64, hexadecimal, other case, and the escapes of URLs, JSON and HTML, one layer of them; whoever encrypts isn't.",
  },
  {
    what: "Escape from the virtual machine, and from there to the host's network",
    status: "mitigated",
    how: "The VMM has a network namespace without interfaces, a user and a root of its own; see walls.md.",
  },
];
