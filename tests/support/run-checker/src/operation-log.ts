import { appendFileSync, readFileSync } from "node:fs";

/** An HTTP response as the client saw it. */
export type SeenResponse = {
  /** Method and path as declared: `POST /agents/{name}/run`. */
  route: string;
  status: number;
  body?: unknown;
  /** The fault that was injected during the request. */
  fault?: "upstream" | "storage";
};

/**
 * The signal that acknowledges a turn to the client: HTTP 200, `finish` on a stream, `agent.done`, A2A's `completed`.
 */
type Acknowledgement = "200" | "finish" | "agent.done" | "completed";

type OfOperation = {
  /** Joins the lines of one operation. */
  id: string;
  sessionId: string;
  /** The tenant. @default none: the `-` of keys */
  tenantId?: string;
  /** The id of the run, once the client has received it in the response headers. */
  runId?: string;
};

type Outcome = OfOperation & {
  /** The text of the answer that the client has received, whole or in part. */
  text?: string;
  response?: SeenResponse;
};

/**
 * A line of an operation log. `invoke`: the client sent a request. `ok`: the turn was acknowledged. `fail`: the run was
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
    // Starts a new line, because a killed process may have left an incomplete one.
    appendFileSync(this.path, `\n${JSON.stringify(operation)}\n`);
  }

  /** Returns the operations. Skips incomplete lines of killed processes. */
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
