import { integerOption, optional, customOption, stringOption } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createId } from "../../base/util/create-id.ts";
import { isRecord } from "../../base/util/is-record.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { findRunnable } from "../../agents/run/registry.ts";
import type { Registry } from "../../agents/run/registry.ts";
import type { RunOpts } from "../../agents/run/run-options.ts";
import type { PublicOutput } from "../../agents/run/run-output.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { WorkflowResult } from "../../agents/workflow/workflow-result.ts";
import type { RunKind } from "../../runs/record/run-view.ts";
import { readRunWebhook } from "../../runs/webhooks/webhook-options.ts";
import type { RunWebhook } from "../../runs/webhooks/webhook-options.ts";
import { checkSessionId } from "../../sessions/session/session-id.ts";
import { checkOwner } from "../../sessions/storage/session-owner.ts";
import type { RequestedRun } from "../request/run-fields.ts";
import { readMessage, readWorkflowInput } from "../request/run-fields.ts";
import type { ServedWorkflow } from "../request/served-registry.ts";
import type { ProtocolRunOptions } from "../runs/accept-requested-run.ts";

/** Options of a run that a program begins, beside the name of the runnable and its input. */
type StartOptions = Pick<
  RunOpts,
  | "sessionId"
  | "userId"
  | "tenantId"
  | "messages"
  | "metadata"
  | "limits"
  | "modelOptions"
  | "instructions"
  | "apiKeys"
  | "apiKey"
> & {
  /**
   * An idempotency key of 1 to 255 characters. A second call for the same user with the same key returns the same run,
   * in any process if the run is durable.
   */
  readonly idempotencyKey?: string | undefined;
  /** Milliseconds after which the run is removed, whatever its status. @default no limit */
  readonly ttlMs?: number | undefined;
  /** A webhook that is notified of the end and the waits of this run, which must be durable. @default none */
  readonly webhook?: RunWebhook | undefined;
};

/** A run of an agent to begin. */
export type AgentStart<Name extends string = string> = StartOptions & {
  /** The name of the agent in the service. */
  readonly agent: Name;
  readonly team?: undefined;
  readonly workflow?: undefined;
  /** The message of the user. */
  readonly input: MessageContent;
};

/** A run of a team to begin. */
export type TeamStart<Name extends string = string> = StartOptions & {
  readonly agent?: undefined;
  /** The name of the team in the service. */
  readonly team: Name;
  readonly workflow?: undefined;
  /** The message of the user. */
  readonly input: MessageContent;
};

/** A run of a workflow to begin. */
export type WorkflowStart<Name extends string = string> = StartOptions & {
  readonly agent?: undefined;
  readonly team?: undefined;
  /** The name of the workflow in the service. */
  readonly workflow: Name;
  /** An object that is merged over the initial state, or a string for the first agent step. @default none */
  readonly input?: object | string | undefined;
};

/** The type of a service, from which the names and the outputs of its runs are inferred. */
export type TypedService = { readonly served?: object | undefined };

type Plural = "agents" | "teams" | "workflows";
type RegistryOf<Of extends TypedService, Kind extends Plural> =
  NonNullable<Of["served"]> extends infer Served ? (Kind extends keyof Served ? Served[Kind] : never) : never;

/** The entries of one kind in a service, as an object by name. */
type Entries<Of extends TypedService, Kind extends Plural> =
  RegistryOf<Of, Kind> extends infer Found
    ? Found extends ReadonlyMap<infer Name, infer Entry>
      ? { readonly [Key in Name & string]: Entry }
      : Found
    : never;

/** The names of one kind in a service; any string for a service whose type is not known. */
export type NameIn<Of extends TypedService, Kind extends Plural> = keyof Entries<Of, Kind> & string;

type ResultOf<Of extends TypedService, Kind extends Plural, Name extends string> = Entries<Of, Kind>[Name &
  keyof Entries<Of, Kind>] extends { run(...given: never[]): Promise<infer Result> }
  ? Result
  : unknown;

/** The public output of an agent or a team by its name, with the type of its structured answer. */
export type OutputIn<Of extends TypedService, Kind extends Plural, Name extends string> =
  ResultOf<Of, Kind, Name> extends { structured?: infer Structured }
    ? Omit<PublicOutput, "structured"> & { readonly structured: Exclude<Structured, undefined> | null }
    : PublicOutput;

/** The result of a workflow by its name, with the type of its state. */
export type ResultIn<Of extends TypedService, Name extends string> =
  ResultOf<Of, "workflows", Name> extends { state: infer State }
    ? Omit<WorkflowResult<object>, "state"> & { readonly state: State }
    : WorkflowResult<object>;

/** The registries of a service by kind. */
type Registries = {
  readonly agents: Registry<Runnable>;
  readonly teams: Registry<Runnable>;
  readonly workflows: Registry<ServedWorkflow>;
};

/** Options that the runnable itself checks. */
const asGiven = {
  messages: (value: unknown) => value as RunOpts["messages"],
  limits: (value: unknown) => value as RunOpts["limits"],
  modelOptions: (value: unknown) => value as RunOpts["modelOptions"],
  apiKeys: (value: unknown) => value as RunOpts["apiKeys"],
};

const startTable = {
  agent: optional(stringOption),
  team: optional(stringOption),
  workflow: optional(stringOption),
  ...asGiven,
  input: (value: unknown) => value,
  sessionId: optional((value) => checkSessionId(value)),
  userId: optional(stringOption),
  tenantId: optional(stringOption),
  metadata: optional(customOption<Record<string, unknown>>("an object", isRecord)),
  instructions: optional(stringOption),
  apiKey: optional(stringOption),
  idempotencyKey: optional(stringOption),
  ttlMs: optional(integerOption(1)),
  webhook: optional((value, name) => readRunWebhook(value, name)),
} satisfies OptionTable<StartOptions & { [Kind in RunKind]: string } & { input: unknown }>;

/**
 * Checks a run that a program begins. Throws `invalid_request` for wrong options, or unless exactly one of `agent`,
 * `team` and `workflow` is given. Throws `not_found` for a name that is not served.
 */
export function readStart(
  served: Registries,
  start: AgentStart | TeamStart | WorkflowStart,
): { requested: RequestedRun<unknown, unknown>; terms: ProtocolRunOptions } {
  const read = readOptions(startTable, start, { owner: "begin", code: "invalid_request" });
  const {
    agent,
    team,
    workflow,
    input,
    idempotencyKey,
    ttlMs,
    sessionId,
    userId,
    tenantId,
    apiKeys = {},
    webhook,
    ...opts
  } = read;
  const { kind, name } = oneTarget({ agent, team, workflow });
  const subject = findRunnable<unknown>(served[`${kind}s`], name, kind);
  const owner = checkOwner({ ...(userId !== undefined && { userId }), ...(tenantId !== undefined && { tenantId }) });
  return {
    requested: {
      subject,
      input: kind === "workflow" ? readWorkflowInput(input) : readMessage(input, "run"),
      opts: {
        ...opts,
        ...owner,
        apiKeys,
        runId: createId(),
        sessionId: sessionId ?? createId(),
        isNewSession: sessionId === undefined,
        fromOutside: true,
      },
      owner,
      ...(webhook !== undefined && { webhook }),
    },
    terms: { kind, name, key: idempotencyKey, ttlMs, isStored: true, isOwn: true },
  };
}

function oneTarget(names: { readonly [Kind in RunKind]: string | undefined }): { kind: RunKind; name: string } {
  const found = (["agent", "team", "workflow"] as const).flatMap((kind) => {
    const name = names[kind];
    return name === undefined ? [] : [{ kind, name }];
  });
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  throw new TroupeError("invalid_request", "begin needs exactly one of agent, team and workflow, by its name.");
}
