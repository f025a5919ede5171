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
  ...rulesOf("Run log: tool calls", {
    "run-log.tool-done":
      "a tool call whose result was stored is not made again, and gives each attempt its whole result, usage and sources",
    "run-log.agent-tool":
      "an agent as a tool that was cut off goes on where it was, and is not asked about; its own tools are like any",
    "run-log.effect-repeated":
      "a call of effect pure or idempotent that was cut off is made again with the same idempotency key",
    "run-log.effect-once":
      "a call of effect once that was cut off is not made again unless verify or an answer says so, each time anew",
    "run-log.verify": "verify tells the result of a call that was cut off, or that it did not take place",
    "run-log.doubt": "what became of a call that was cut off is asked, or told to the model as unknown, by onDoubt",
    "run-log.approval": "without hooks.onApproval, a call that needs an approval waits for an answer, and keeps to it",
    "run-log.approval-arguments":
      "an approval may change the arguments, which are checked anew and shown in the result",
    "run-log.client-tool": "a call of a tool without execute waits for its client's result, bounded like any other",
    "run-log.wait-until":
      "after waitMs of the tool, counted from the first wait, an approval is denied, a client has failed, a doubt is told",
    "run-log.child-waits":
      "a wait in a child run, of a member or of an agent asked as a tool, stops the runs above it too",
    "run-log.waiting-beside-others": "calls beside one that waits are finished first, and their results are kept",
  }),
  ...rulesOf("Run log: the fence", {
    "run-log.turn-after-steps": "the turn of a durable run is stored after all steps that led to it are in the log",
    "run-log.fence":
      "of two attempts at a run, in whatever order they write, one ends the run, and a tool is called once",
  }),
  ...rulesOf("Durable runs (run-log §4 to §6)", {
    "durable.accepted-is-kept": "a run that was accepted is performed after a restart, whatever service accepted it",
    "durable.events":
      "a reader gets each event of a run once, in order, from behind any position, and the last is the end",
    "durable.wait": "a run that waits holds no job, and its answer wakes it on any service, also after a restart",
  }),
];
