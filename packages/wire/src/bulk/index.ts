export { attachBulk, type BulkChannel, type BulkOptions, type BulkStream } from "./attach.js";
export { BULK_HEADER_BYTES, BULK_TYPE, type BulkType } from "./frame.js";
export { type BulkEvent, BulkMux, type BulkRole } from "./mux.js";
