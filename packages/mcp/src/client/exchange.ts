import type { Client } from "@modelcontextprotocol/client";

/** An exchange with an MCP server: its purpose, its time limit, and true if it is safe to repeat. */
export type Exchange<Result> = {
  /** The name of the exchange in errors, such as `a call of the tool echo`. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  readonly isRepeatable?: boolean;
  readonly send: (client: Client, options: { signal: AbortSignal; timeout: number }) => Promise<Result>;
};
