import type { RunKind } from "../../runs/record/run-view.ts";
import type { RunService } from "../../runs/service/run-service.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { Principal } from "../../transport/request/principal.ts";
import type { RunFields } from "../../transport/request/run-fields.ts";
import type { OnDisconnect } from "../../transport/runs/served-runs.ts";

/** Agents, teams and options that are served for a case of `transportCases`. */
export type TransportServed = {
  readonly agents: Readonly<Record<string, Runnable>>;
  readonly teams: Readonly<Record<string, Runnable>>;
  /** The service that makes runs durable, in the cases that need it. The case itself starts and closes it. */
  readonly runs?: RunService | undefined;
  /** The transport's option; undefined for its default, which cancels plain runs. */
  readonly onDisconnect?: OnDisconnect | undefined;
  /** The logger for the transport. The case searches its lines for secrets. */
  readonly logger: Logger;
};

/** Subject of `transportCases`: serves over the transport under test, each time on a separate address. */
export type TransportHarness = { serve(served: TransportServed): Promise<TransportService> };

/** A service over the transport under test. */
export type TransportService = {
  /** Connects a client. With a principal, the host's authentication treats that user as signed in. */
  connect(principal?: Principal): Promise<TransportClient>;
  /** Ends the connections of the clients, and then stops the service. */
  close(): Promise<void>;
};

/** The fields with which a case requests a run, both valid and invalid. They are sent unchanged. */
export type SentRunFields = RunFields & { readonly [name: string]: unknown };

/** An error as sent to a client: its code and message, besides any other fields of the transport. */
export type SentError = { readonly code: string; readonly message: string };

/** A client of a service. It sends the given fields, valid or invalid, and exposes the response. */
export type TransportClient = {
  /** Requests a run and waits for its end. Also resolves if the run fails or is rejected. */
  call(kind: RunKind, name: string, fields: SentRunFields): Promise<TransportAnswer>;
  /** Requests a run and receives its events as they arrive. */
  stream(kind: RunKind, name: string, fields: SentRunFields): TransportRun;
  /** Cancels a run by its id. */
  cancel(runId: string): Promise<{ readonly status?: string; readonly error?: SentError }>;
  /**
   * Receives the events of a stored run, after a position or from its beginning. Only for transports that accept a
   * `RunService`.
   */
  attach?(runId: string, after?: string): TransportRun;
  /** Answers a question of a waiting run. Only for transports that accept a `RunService`. */
  answer?(runId: string, waitId: string, answer: Json): Promise<{ readonly error?: SentError }>;
  /** Breaks the connection, and everything that runs over it, without closing it properly. */
  disconnect(): void;
};

/** The end of a run that a client has waited for: its output or its error. */
export type TransportAnswer = {
  readonly runId?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly output?: unknown;
  readonly error?: SentError;
  /** All data that the client received, after parsing. */
  readonly data: unknown;
};

/** A run whose events a client receives. */
export type TransportRun = {
  /**
   * Resolves to the ids of the run as soon as the client receives them. Resolves to undefined if the run is rejected.
   */
  readonly started: Promise<{ readonly runId: string; readonly sessionId: string } | undefined>;
  /** The events of the run that the client has received so far. */
  readonly events: readonly TransportEvent[];
  /** Resolves when the client learns that the run is over, or its connection ends. */
  readonly ended: Promise<void>;
};

/** An event as received by a client. Types that the transport lacks are omitted; `other` stands for further types. */
export type TransportEvent = {
  /** The whole parsed payload of the event, as the client received it. */
  readonly data: unknown;
  /** The position of the event of a stored run, after which a client can attach. */
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
