import { groupBy } from "./group-by.ts";
import type { Operation } from "./operation-log.ts";
import { sessionPart } from "./stored-turns.ts";
import type { StoredTurn } from "./stored-turns.ts";

/** An operation from its start to what the client saw of its end, joined by its id. */
export type JoinedOperation = {
  id: string;
  /** `<tenant>/<session>`, as in keys. */
  session: string;
  runId: string | undefined;
  nonce: string | undefined;
  input: string | undefined;
  /** `undefined` while nothing was seen of the end. */
  outcome: Exclude<Operation, { type: "invoke" }> | undefined;
};

/** The operations of a log, each once. */
function joinOperations(operations: readonly Operation[]): JoinedOperation[] {
  const byId = groupBy(operations, ({ id }) => id);
  return [...byId.values()].flatMap(joinOne);
}

/** Those whose turn the client saw acknowledged. */
export function acknowledgedOperations(operations: readonly Operation[]): JoinedOperation[] {
  return joinOperations(operations).filter(({ outcome }) => outcome?.type === "ok");
}

/** Finds the turns that an operation left: by its run, or by what was said when its run was never told. */
export class TurnIndex {
  readonly #byRun: ReadonlyMap<string, StoredTurn[]>;
  readonly #byInput: ReadonlyMap<string, StoredTurn[]>;

  constructor(turns: readonly StoredTurn[]) {
    this.#byRun = groupBy(turns, ({ session, runId }) => `${session} ${runId}`);
    this.#byInput = groupBy(turns, ({ session, input }) => `${session} ${input}`);
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
