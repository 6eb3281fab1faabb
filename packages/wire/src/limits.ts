/** Version of both frame formats; a peer that speaks another one is refused. */
export const WIRE_VERSION = 1;

/** Header of a control frame. Holds the argument list and environment of one command. */
export const MAX_HEADER_BYTES = 256 * 1024;
/** Payload of a control frame: only `ping` and `pong` have one. Bulk data has its own channel. */
export const MAX_PAYLOAD_BYTES = 64 * 1024;
/** Nesting of a header: frame, body, one structure in it, and a list in that. */
export const MAX_HEADER_DEPTH = 6;
/** JSON values in one header: argument list, environment, and the fixed fields. */
export const MAX_HEADER_NODES = 6144;
/** One string. Linux allows 128 KiB for one argument (MAX_ARG_STRLEN); nobody needs it here. */
export const MAX_STRING_LENGTH = 64 * 1024;
/** Entries of an argument list or an environment. */
export const MAX_LIST_LENGTH = 2048;
/** Frames in one direction of a control channel: a run needs hundreds. */
export const MAX_CONTROL_FRAMES = 1_000_000;
/** What may wait for a peer that does not read, in one channel, before the channel is closed. */
export const MAX_UNSENT_BYTES = 4 * 1024 * 1024;

/** Credit that each direction of a stream starts with, and never exceeds. */
export const STREAM_CREDIT_BYTES = 256 * 1024;
/** Payload of one bulk frame. */
export const MAX_BULK_FRAME_BYTES = 64 * 1024;
/** Streams open at once: bounds memory at 64 × 2 × 256 KiB a channel. */
export const MAX_STREAMS = 64;
/** A reader grants new credit in steps of this size, so that grants stay rare. */
export const CREDIT_STEP_BYTES = 64 * 1024;

/** Longest path in a glob, an artifact or a working directory (PATH_MAX without its NUL). */
export const MAX_PATH_LENGTH = 4095;
/** Globs in one collect request. */
export const MAX_GLOBS = 64;
