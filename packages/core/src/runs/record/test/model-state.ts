/** All that the storage holds of the run of the model, what the outside world has seen, and what each process does. */
export type ModelState = {
  readonly record: "absent" | "queued" | "running" | "waiting" | "ended";
  /** The number of the attempt that the record counts. */
  readonly counted: number;
  /** The version of the open entry; 0 for none. Each write makes another version. */
  readonly open: number;
  readonly version: number;
  /** True if the open entry is held for a message to the run, so that no attempt removes it. */
  readonly held: boolean;
  readonly places: boolean;
  readonly ends: boolean;
  /** The entries of the log: an attempt, a call, its result, a question about the call, an approval, the end. */
  readonly log: string;
  /** The answers in the inbox, and the cancellation. */
  readonly inbox: string;
  readonly effects: number;
  /** The promises made to clients: acceptance, answers and cancellation. */
  readonly acknowledged: string;
  readonly crashes: number;
  /** True if the run calls a tool with an effect before it asks for an approval. */
  readonly calls: boolean;
  /** True if a process that wakes the run compares the open entry before it changes the entry. */
  readonly compares: boolean;
  /** True once a process that woke the run has listed it again after its end. */
  readonly relisted: boolean;
  /** True once two processes were at the run at the same time. */
  readonly overlapped: boolean;
  readonly threads: readonly Thread[];
};

/** The activity of a process or a client: the transition, its next write, and the log as far as it has read it. */
export type Thread = {
  readonly task: string;
  readonly at: number;
  readonly known: string;
  readonly attempt: number;
  readonly seen: number;
};

export const idle: Thread = { task: "", at: 0, known: "", attempt: 0, seen: 0 };

/** The state before a client asks for the run: two processes, and the client as the last thread. */
export const start: ModelState = {
  record: "absent",
  counted: 0,
  open: 0,
  version: 0,
  held: false,
  places: false,
  ends: false,
  log: "",
  inbox: "",
  effects: 0,
  acknowledged: "",
  crashes: 0,
  calls: true,
  compares: true,
  relisted: false,
  overlapped: false,
  threads: [idle, idle, idle],
};
