/** Where a query goes. `address` is an IP address in text; nothing here looks a name up. */
export interface Server {
  readonly address: string;
  readonly port: number;
  readonly family: 4 | 6;
}

export interface QueryEvents {
  /** A message, which need not be an answer. */
  message(bytes: Uint8Array): void;
  /** The server announced a message that is longer than the limit. */
  tooLong(): void;
  /** Nothing more will come. */
  broken(): void;
}

/** Closes the socket at once. No event is called afterwards. */
export type CloseQuery = () => void;
