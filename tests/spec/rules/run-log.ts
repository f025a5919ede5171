import { rulesOf } from "../rule.ts";

/** Rules for the run log: one record of a run under every transport, and runs that survive their process. */
export const runLogRules = [
  ...rulesOf("Run log: storage", {
    "storage.insert-all":
      "insertAll inserts each record whose key is free on its own, and says for each whether it did",
    "storage.insert-all-processes": "of several processes that insert the same records each is inserted by one",
    "storage.list-many": "listMany makes several listings with few requests, each as list makes it, in their order",
    "storage.watch":
      "watch calls back when something in a namespace may have changed, until it is ended or the driver closed",
    "storage.watch-processes": "a listener on storage that processes share is called when another one has written",
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
    "run-log.hand-back": "a process that hands a run back keeps the result of every call that was over by then",
    "run-log.cancel-keeps-calls":
      "a run that is cancelled while nothing performs it leaves in its session what its tools did",
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
    "run-log.crash":
      "a run whose process dies before or after any write goes on in the next process as if nothing had been",
    "run-log.place":
      "a later attempt at a run takes the place of an earlier one in its session's queue, and an earlier one never that of a later",
    "durable.sweep": "a run that its engine forgot is submitted again after 30 seconds, by one process",
    "run-log.turn-after-steps": "the turn of a durable run is stored after all steps that led to it are in the log",
    "run-log.fence":
      "of two attempts at a run, in whatever order they write, one ends the run, and a tool is called once",
  }),
  ...rulesOf("Durable runs (run-log §4 to §6)", {
    "durable.accepted-is-kept": "a run that was accepted is performed after a restart, whatever service accepted it",
    "durable.begins-at-once":
      "a run that its process accepts with a free place begins with its acceptance, and nothing of it is read back",
    "durable.events":
      "a reader gets each event of a run once, in order, from behind any position, and the last is the end",
    "durable.accept-checks": "a run that cannot begin is refused when it is accepted, and nothing of it is kept",
    "durable.storage": "durable runs need a storage with compareAndSet, else invalid_config",
    "durable.seal":
      "a caller's keys are sealed in the record, or held in memory, and a lasting storage without sealKeys refuses them",
    "durable.admission": "more waiting runs than maxQueued, or open runs of a caller than perCaller, are rate_limited",
    "durable.callers":
      "callers without a user have all of a bound where no user comes and a tenth beside users, and do not count against users",
    "durable.anonymous-wait":
      "a run of a caller without a user that waits for longer than anonymousWaitMs ends as timeout",
    "durable.memory":
      "without a storage the runs of callers are bounded in bytes: ended ones go, open ones never, and a new one is rate_limited",
    "durable.context": "a run that waited for a place runs in the context of its own caller, in one process",
    "durable.fairness":
      "the caller with fewer open runs goes first, and an engine is given nothing but ids and numbers",
    "durable.upgrade":
      "a run whose tool, step, agent or seal key is gone or changed waits with kind upgrade, says what is missing, writes nothing and goes on when it is back",
    "durable.rolling":
      "a run goes on at a live process that has what it has used, and waits with kind upgrade only when there is none",
    "durable.ephemeral":
      "without a storage runs are kept in memory within bounds of number and bytes, and what was dropped is gone",
    "durable.local":
      "a run of a service without a storage may have tools, a model, metadata and a signal of the process",
    "durable.access":
      "a run is its owner's; one without a user is reached by its id within its tenant, a bearer run so by callers without a user",
    "durable.session": "the open run of a session is found by the session, one under way before one that is queued",
    "durable.forget": "runs go with their session and their user, also when they are under way, and leave nothing",
    "durable.one-read":
      "however many readers and runs there are, they share one request a wake; a run that the process performs is not read for them",
    "durable.outage":
      "the readers of a run go on after a storage that could not be reached for less than 30 seconds, and end after that",
    "durable.void-chunks":
      "a reader never sees chunks that a later attempt has made void, or is told that those it has seen are",
    "durable.stalled":
      "a process that stood still before a call does not make it when another process went on with the run",
    "durable.cancel": "a cancelled run ends once as cancelled, and says of each tool call if it is settled",
    "durable.drain": "a run that is handed back in a shutdown has no end by that, and goes on in the next process",
    "durable.long-input":
      "an input or options of more than 32 KB are stored once beside the record of their run, and go with its log",
    "durable.orphan": "what a process has left of a run that it did not finish accepting is removed a minute later",
    "durable.latency":
      "the first chunk of an attempt at a durable run reaches its readers at once, and the others within 50 milliseconds",
    "durable.crashed": "three attempts in a row without a finished step end a run as crashed",
    "durable.crashed-keeps-calls":
      "a run that ends as crashed does nothing again, leaves in its session what its tools did, and lets it take other runs",
    "durable.crash-points":
      "a crash at any call of the storage leaves a run on the lists on which it belongs, with one end, and nothing of it once it is removed",
    "durable.ttl": "a run with ttlMs is not found from then on and leaves nothing, also when it is not over",
    "durable.until": "past its time an approval is denied, and no answer is taken",
    "durable.storage-faults":
      "a run whose storage fails says storage_unavailable or storage_corrupt, others go on, and it goes on when the storage is back",
    "durable.subscriptions":
      "a run keeps subscriptions for its owner with the place up to which each was told, and they are removed with it",
    "durable.subscriptions-sealed": "a lasting storage has the data of a subscription sealed, or not at all",
    "durable.subscriptions-taken":
      "one process at a time notifies a subscription, and another one goes on where a dead one was",
    "durable.note":
      "a transport's note is kept with the run and changed without a loss beside the run's own changes, up to a length",
    "durable.times": "each attempt and each wait says when it began, the same to all readers and after a restart",
    "durable.step-results": "the host reads of each step its result, and when it was called and done",
    "durable.list-all": "the host lists the runs of all users and of none, newest first, by pages and status",
    "durable.list-flat":
      "a page of a user's runs, with and without status, reads as much from a storage with many runs as with few",
    "durable.list-crash":
      "a user's list by status has each run once, newest first, whatever becomes of the runs and their processes",
    "durable.read-input": "the input of a run is read whole by its owner and the host, and by no one else",
    "workflow.planned-steps": "a workflow lists its steps in the order written, with kind and the step that each is in",
    "durable.wait": "a run that waits holds no job, and its answer wakes it on any service, also after a restart",
  }),
  ...rulesOf("Run log: what clients see over HTTP", {
    "http.durable-run": "/run of a durable run answers with its output, and Content-Location names its path",
    "http.durable-stream": "/stream of a durable run sends its events, whose ids are positions",
    "http.durable-named": "the runs of what the option runs names are durable, and all others as ever",
    "http.respond-async": "Prefer: respond-async answers 202 at once, with Location and Retry-After",
    "http.disconnect-durable": "a client that disconnects cancels a durable run only with ?onDisconnect=cancel",
    "http.idempotency-key":
      "requests of one caller with one Idempotency-Key are one run, on /run and /stream, or one schedule, on /schedules",
    "http.idempotency-mismatch": "an Idempotency-Key with another body is a 422",
    "http.durable-failure":
      "a stored run that failed has the status, the id and the usage of its failure, or the event error",
    "http.durable-admission": "a caller with too many open runs gets 429 with Retry-After",
    "http.waiting-run":
      "/run of a run that waits answers 202 with what it waits for; a stream has the event wait and stays open",
    "http.answers": "POST /runs/:id/answers/:waitId answers for the run's user; the first answer counts",
    "http.may-answer": "the option mayAnswer lets another caller answer, and gives no other right to the run",
    "http.answer-again": "the same answer again is a 204 for all who may answer, also when the run went on or is over",
    "http.resume-key": "a request with Last-Event-ID needs the Idempotency-Key of a run that is there, and begins none",
    "http.stored-by-key":
      "without a service a request with an Idempotency-Key joins its run under way, or the one that is over",
    "http.stored-carries": "a run that is stored in the process has all that a plain request can carry",
    "http.stored-uploads":
      "an upload with a key is known again by its bytes, and its memory is taken until the end of its run",
    "http.resume-events": "GET /runs/:id/events goes on behind Last-Event-ID without a gap and with nothing twice",
    "http.resume-key-stream": "a /stream that is sent again with its key and Last-Event-ID goes on in the process",
    "http.resume-continue": 'with onDisconnect: "continue" a stream is read on by the id of its run',
    "http.resume-ms": "the events of a run in the process are kept for resumeMs after its end, and then a 410",
    "http.events-seen": "a client that has seen all events of a run gets a 204",
    "http.events-gone": "events that were removed are a 410, and the run is there until it is removed too",
    "http.many-tails": "any number of clients may follow one run",
    "http.event-source": "an EventSource reads a run over broken connections, and stops at its end",
    "http.interrupted":
      "a plain stream of which text became void ends with interrupted and the run's id; with events=all it gets reset",
    "http.list-runs":
      "GET /runs lists the principal's own, newest first, by status and page; without a principal it is a 401",
    "http.foreign-run": "another user's run is the same 404 as an unknown one, on every path",
    "http.bearer-run": "a run without a user, or of a user who is only claimed, is reached by its id alone",
    "http.delete-run": "DELETE /runs/:id removes a run with its events",
    "http.delete-session-runs": "deleting a session removes its runs",
    "http.cancel-reach": "POST /runs/:id/cancel finds a stored run for the same callers as GET /runs/:id",
    "http.cancel-durable": "POST /runs/:id/cancel cancels plain and stored runs, and tells when one was over before",
    "http.shutdown-durable": "a shutdown hands durable runs back, and tells their clients that they go on",
  }),
];
