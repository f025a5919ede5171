import { rulesOf } from "../rule.ts";

/** Rules for the run log: one record of a run under every transport, and runs that survive their process. */
export const runLogRules = [
  ...rulesOf("Run log: storage", {
    "storage.insert-all":
      "insertAll inserts each record whose key is free on its own, and says for each whether it did",
    "storage.insert-all-processes": "of several processes that insert the same records each is inserted by one",
    "storage.watch":
      "watch calls back when something in a namespace may have changed, until it is ended or the driver closed",
    "storage.watch-processes": "a listener on an SQLite file hears what other processes write",
  }),
  ...rulesOf("Run log: the fence", {
    "run-log.turn-after-steps": "the turn of a durable run is stored after all steps that led to it are in the log",
    "run-log.fence":
      "of two attempts at a run, in whatever order they write, one ends the run, and a tool is called once",
  }),
];
