import { appendFileSync, readFileSync } from "node:fs";

/** What a client got to see of an HTTP answer. */
export type SeenResponse = {
  /** Method and path as the service declares them: `POST /agents/{name}/run`. */
  route: string;
  status: number;
  body?: unknown;
  /** The fault that was injected while it was made. */
  fault?: "upstream" | "storage";
};

/** How a client knows that its turn is acknowledged: HTTP 200, `finish` on a stream, `agent.done`, A2A's completed. */
type Acknowledgement = "200" | "finish" | "agent.done" | "completed";

type OfOperation = {
  /** Joins what one client did and what came of it. */
  id: string;
  sessionId: string;
  /** @default none: the `-` of keys */
  tenantId?: string;
  /** As soon as it is known: it is told with the head of an answer. */
  runId?: string;
};

type Outcome = OfOperation & {
  /** What the client read of the answer's text, whole or in part. */
  text?: string;
  response?: SeenResponse;
};

/**
 * One line of an operation log. `invoke`: a client asks. `ok`: it saw the turn acknowledged. `fail`: it was told that there
 * is no such turn. `info`: it does not know: the connection broke, or the service was killed.
 */
export type Operation =
  | (OfOperation & { type: "invoke"; nonce: string; input: string })
  | (Outcome & { type: "ok"; seen: Acknowledgement })
  | (Outcome & { type: "fail" })
  | (Outcome & { type: "info" });

/** A log of operations in a file that several processes append to. */
export class OperationLog {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Writes the operation before it returns, so that a process which is killed next has said it. */
  append(operation: Operation): void {
    // A line of its own, also behind one that a killed process left half.
    appendFileSync(this.path, `\n${JSON.stringify(operation)}\n`);
  }

  /** Every operation that was written whole: what a killed process wrote half, it has not said. */
  read(): Operation[] {
    return readFileSync(this.path, "utf8").split("\n").flatMap(readLine);
  }
}

function readLine(line: string): Operation[] {
  try {
    return line === "" ? [] : [JSON.parse(line) as Operation];
  } catch {
    return [];
  }
}
