import { TroupeError } from "@troupe/core";

/** Advice for turning a standalone server into a replica set, which has all features of the storage. */
const cure =
  'Start it as a replica set; one server is enough ("mongod --replSet rs0", then "rs.initiate()" once in mongosh).';

/**
 * The warning about a standalone server, and the `singleProcess` text of its storage: the missing features, and how to
 * get them.
 */
export const standaloneWarning =
  "MongoDB runs as a standalone server, which has no transactions and no change streams. Only one process may use this " +
  `storage for its sessions and runs, and ifHeld and transaction are refused. ${cure}`;

/** Makes the error for an operation that a standalone server cannot perform because it needs a transaction. */
export function needsReplicaSet(operation: "ifHeld" | "transaction"): TroupeError {
  const needs = operation === "ifHeld" ? "An append with ifHeld" : "A transaction of several writes";
  return new TroupeError(
    "invalid_config",
    `${needs} needs a replica set, and MongoDB runs as a standalone server. ${cure}`,
  );
}
