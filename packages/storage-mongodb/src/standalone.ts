import { TroupeError } from "@troupe/core";

/** Advice for turning a standalone server into one that has all that the storage offers. */
const cure =
  'Start it as a replica set; one server is enough ("mongod --replSet rs0", then "rs.initiate()" once in mongosh).';

/** Warning about a standalone server, and `singleProcess` of a storage on it: what it lacks, and how to mend that. */
export const standaloneWarning =
  "MongoDB runs as a standalone server, which has no transactions and no change streams. Only one process may use this " +
  `storage for its sessions and runs, and ifHeld and transaction are refused. ${cure}`;

/** Makes the error of an operation that needs a transaction, on a standalone server. */
export function needsReplicaSet(operation: "ifHeld" | "transaction"): TroupeError {
  const needs = operation === "ifHeld" ? "An append with ifHeld" : "A transaction of several writes";
  return new TroupeError(
    "invalid_config",
    `${needs} needs a replica set, and MongoDB runs as a standalone server. ${cure}`,
  );
}
