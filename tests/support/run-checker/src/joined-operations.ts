import type { Operation } from "./operation-log.ts";
import { sessionPart } from "./stored-turns.ts";
import type { StoredTurn } from "./stored-turns.ts";

/** The lines of one operation in the log, joined by its id. */
export type JoinedOperation = {
  id: string;
  /** `<tenant>/<session>`, as in keys. */
  session: string;
  runId: string | undefined;
  nonce: string | undefined;
  input: string | undefined;
  /** The last line of the operation. `undefined` if the client received no end. */
  outcome: Exclude<Operation, { type: "invoke" }> | undefined;
};

/** Returns the operations of a log, each once. */
function joinOperations(operations: readonly Operation[]): JoinedOperation[] {
  const byId = Map.groupBy(operations, ({ id }) => id);
  return [...byId.values()].flatMap(joinOne);
}

/** Returns the operations whose turn was acknowledged to the client. */
export function acknowledgedOperations(operations: readonly Operation[]): JoinedOperation[] {
  return joinOperations(operations).filter(({ outcome }) => outcome?.type === "ok");
}

/** Finds the stored turns of an operation by its run id, or by its input when the client never saw the run id. */
export class TurnIndex {
  readonly #byRun: ReadonlyMap<string, StoredTurn[]>;
  readonly #byInput: ReadonlyMap<string, StoredTurn[]>;

  constructor(turns: readonly StoredTurn[]) {
    this.#byRun = Map.groupBy(turns, ({ session, runId }) => `${session} ${runId}`);
    this.#byInput = Map.groupBy(turns, ({ session, input }) => `${session} ${input}`);
  }

  of({ session, runId, input }: JoinedOperation): StoredTurn[] {
    if (runId !== undefined) return this.#byRun.get(`${session} ${runId}`) ?? [];
    return input === undefined ? [] : (this.#byInput.get(`${session} ${input}`) ?? []);
  }
}

function joinOne(group: readonly Operation[]): JoinedOperation[] {
  const [first] = group;
  if (first === undefined) return [];
  const invoke = group.find((operation) => operation.type === "invoke");
  return [
    {
      id: first.id,
      session: sessionPart(first),
      runId: group.find(({ runId }) => runId !== undefined)?.runId,
      nonce: invoke?.nonce,
      input: invoke?.input,
      outcome: group.findLast((operation) => operation.type !== "invoke"),
    },
  ];
}
