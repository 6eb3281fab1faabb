/** A proxy that loses, cuts and delays what passes it, when it is told to, and knows what was delivered. */
export {};
