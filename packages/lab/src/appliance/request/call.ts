/** One HTTP request as the appliance's rules see it. Nothing here is trusted. */
export interface ApiCall {
  /** Upper case. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** What stands after the question mark; empty where there is none. */
  readonly query: string;
  /** Header fields, names in lower case. */
  readonly fields: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly clientAddress: string;
  /** The appliance's own address that the request came to. */
  readonly serverAddress: string;
  /** Since 1970. */
  readonly seconds: number;
  /** 64 unguessable bytes. */
  readonly entropy: Uint8Array;
}
