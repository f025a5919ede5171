import { Grammar } from "./grammar.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A JSON-RPC message that an MCP client has received. */
export type McpMessage = Fields;

const terminal = ["completed", "failed", "cancelled"];

/**
 * The grammar of the messages that an MCP client receives: one response per request, increasing progress before the
 * response, and no task status after a final one. `send` takes the client's own messages, if known. `isAnswer`: the
 * stream answers one request and ends with its response.
 */
export class McpGrammar extends Grammar<McpMessage> {
  readonly #isAnswer: boolean;
  readonly #progress = new Map<unknown, number>();
  readonly #answered = new Set<unknown>();
  readonly #overTasks = new Map<unknown, unknown>();
  /** The progress tokens in the client's requests. */
  readonly #tokens = new Map<unknown, unknown>();
  #hasSent = false;

  constructor({ isAnswer = false }: { readonly isAnswer?: boolean } = {}) {
    super("messages of an MCP server");
    this.#isAnswer = isAnswer;
  }

  /** Takes a message of the client. */
  send({ id, method, params }: McpMessage): void {
    if (id === undefined || method === undefined) return;
    this.#hasSent = true;
    const { _meta } = Object(params) as Fields;
    const { progressToken } = Object(_meta) as Fields;
    this.#answered.delete(id);
    if (progressToken !== undefined) this.#tokens.set(id, progressToken);
    this.#progress.delete(progressToken);
  }

  protected override take(message: McpMessage): void {
    const { jsonrpc, id, method, params } = message;
    this.check(jsonrpc === "2.0", "json-rpc", "it is no message of JSON-RPC 2.0");
    if (method === "notifications/progress") this.#takeProgress(params as Fields);
    else if (method === "notifications/tasks/status") this.#takeStatus(params as Fields);
    else if (method === undefined) this.#takeResponse(id, message);
  }

  #takeProgress({ progressToken, progress }: Fields): void {
    if (this.#hasSent) {
      const isOpen = [...this.#tokens.values()].includes(progressToken);
      this.check(isOpen, "progress-open", `no request with the token ${String(progressToken)} is open`);
    }
    const last = this.#progress.get(progressToken) ?? -Infinity;
    this.check(Number(progress) > last, "progress-rises", `the progress was ${last} before`);
    this.#progress.set(progressToken, Number(progress));
  }

  #takeStatus({ taskId, status }: Fields): void {
    const over = this.#overTasks.get(taskId);
    this.check(over === undefined, "task-over", `the task ${String(taskId)} is ${String(over)}`);
    if (terminal.includes(String(status))) this.#overTasks.set(taskId, status);
  }

  #takeResponse(id: unknown, message: McpMessage): void {
    this.check("error" in message !== "result" in message, "one-answer", "it has not one of result and error");
    this.check(!this.#answered.has(id), "one-response", `the request ${String(id)} has its response`);
    this.#answered.add(id);
    this.#tokens.delete(id);
    if (this.#isAnswer) this.finish();
  }

  /** A connection may end at any time. */
  override end(): void {
    if (this.#isAnswer) super.end();
  }
}
