import type { RunKind } from "../../runs/run-store/run-view.ts";
import type { RunService } from "../../runs/durable/run-service.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { Principal } from "../../transport/principal.ts";
import type { RunFields } from "../../transport/run-fields.ts";
import type { OnDisconnect } from "../../transport/served-runs.ts";

/** Agents, teams and options that a case of `transportCases` has served. */
export type TransportServed = {
  readonly agents: Readonly<Record<string, Runnable>>;
  readonly teams: Readonly<Record<string, Runnable>>;
  /** The service that makes runs durable, in some cases. Its serving and its end are the case's. */
  readonly runs?: RunService | undefined;
  /** Undefined for the transport's default, which is to cancel plain runs. */
  readonly onDisconnect?: OnDisconnect | undefined;
  /** The logger to give to the transport: the case looks for secrets in its lines. */
  readonly logger: Logger;
};

/** Subject of `transportCases`: serves over the transport under test, on an address of its own. */
export type TransportHarness = { serve(served: TransportServed): Promise<TransportService> };

/** A service over the transport under test. */
export type TransportService = {
  /** Connects a client. With a principal, the host's authentication has found that user signed in. */
  connect(principal?: Principal): Promise<TransportClient>;
  /** Ends the connections and the service. */
  close(): Promise<void>;
};

/** The fields with which a case asks for a run, right and wrong ones: to be sent as they are. */
export type SentRunFields = RunFields & { readonly [name: string]: unknown };

/** An error as a client is sent it: its code and message, whatever else the transport sends with them. */
export type SentError = { readonly code: string; readonly message: string };

/** A client of a service: it sends what it is given, right or wrong, and shows what comes back. */
export type TransportClient = {
  /** Asks for a run and waits for its end. Resolves also when the run fails or is refused. */
  call(kind: RunKind, name: string, fields: SentRunFields): Promise<TransportAnswer>;
  /** Asks for a run and receives its events as they come. */
  stream(kind: RunKind, name: string, fields: SentRunFields): TransportRun;
  /** Cancels a run by its id. */
  cancel(runId: string): Promise<{ readonly status?: string; readonly error?: SentError }>;
  /** Receives the events of a kept run, behind a position or from its beginning. Only where a `RunService` can be given. */
  attach?(runId: string, after?: string): TransportRun;
  /** Answers a question of a waiting run. Only where a `RunService` can be given. */
  answer?(runId: string, waitId: string, answer: Json): Promise<{ readonly error?: SentError }>;
  /** Breaks the connection, and whatever runs over it, without a word. */
  disconnect(): void;
};

/** The end of a run that a client has waited for: its output or its error. */
export type TransportAnswer = {
  readonly runId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly output?: unknown;
  readonly error?: SentError;
  /** All that the client received, as it was parsed. */
  readonly data: unknown;
};

/** A run whose events a client receives. */
export type TransportRun = {
  /** Resolves to the ids of the run as soon as the client is told them, and to undefined if the run is refused. */
  readonly started: Promise<{ readonly runId: string; readonly sessionId: string } | undefined>;
  /** The events that have come so far. */
  readonly events: readonly TransportEvent[];
  /** Resolves when the client is told that the run is over, or its connection ends. */
  readonly ended: Promise<void>;
};

/** An event as a client received it. A type that the transport does not have is left out; `other` is for any further one. */
export type TransportEvent = {
  /** All that came with the event, as it was parsed. */
  readonly data: unknown;
  /** The position of the event of a kept run, to attach behind. */
  readonly id?: string | undefined;
} & (
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_call"; readonly toolCallId: string; readonly toolName: string }
  | { readonly type: "tool_result"; readonly toolCallId: string; readonly toolName: string; readonly result: unknown }
  | { readonly type: "tool_done"; readonly toolCallId: string }
  | { readonly type: "wait"; readonly waitId: string }
  | { readonly type: "done" }
  | { readonly type: "error"; readonly error: SentError }
  | { readonly type: "other" }
);
