/** A change to an appliance under a recovery contract: contracts, their store, the sealed executor, adapters. */
export {};
