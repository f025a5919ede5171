import { appendFileSync, readFileSync } from "node:fs";

/** An HTTP response as the client saw it. */
export type SeenResponse = {
  /** Method and path as declared: `POST /agents/{name}/run`. */
  route: string;
  status: number;
  body?: unknown;
  /** Fault that was injected during the request. */
  fault?: "upstream" | "storage";
};

/** Signal that acknowledges a turn to the client: HTTP 200, `finish` on a stream, `agent.done`, A2A's `completed`. */
type Acknowledgement = "200" | "finish" | "agent.done" | "completed";

type OfOperation = {
  /** Joins the lines of one operation. */
  id: string;
  sessionId: string;
  /** @default none: the `-` of keys */
  tenantId?: string;
  /** Set as soon as the client knows it, from the response headers. */
  runId?: string;
};

type Outcome = OfOperation & {
  /** Text of the answer that the client read, whole or in part. */
  text?: string;
  response?: SeenResponse;
};

/**
 * One line of an operation log. `invoke`: the client sent a request. `ok`: the turn was acknowledged. `fail`: the run was
 * reported as failed. `info`: the outcome is unknown, because the connection broke or the service was killed.
 */
export type Operation =
  | (OfOperation & { type: "invoke"; nonce: string; input: string })
  | (Outcome & { type: "ok"; seen: Acknowledgement })
  | (Outcome & { type: "fail" })
  | (Outcome & { type: "info" });

/** An operation log in a file that several processes can append to. */
export class OperationLog {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** Writes the operation synchronously, so that it survives a kill right after the call. */
  append(operation: Operation): void {
    // A line of its own, also after one that a killed process left incomplete.
    appendFileSync(this.path, `\n${JSON.stringify(operation)}\n`);
  }

  /** Returns the operations. Lines that a killed process left incomplete are skipped. */
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
