import { TroupeError } from "@troupe/core";
import type { Service } from "@troupe/core/transport";
import { openPush } from "../push/open-push.ts";
import type { PushSender } from "../push/push-sender.ts";
import { TaskRuns } from "../tasks/task-runs.ts";
import type { A2ASettings } from "./a2a-options.ts";

/** The service as it is served over A2A: its agents, options, cards and push notifications. */
export type A2AParts = {
  readonly service: Service;
  readonly settings: A2ASettings;
  readonly runs: TaskRuns;
  /** Sends push notifications; undefined if the service offers none. */
  readonly push: Promise<PushSender> | undefined;
  readonly mayAnswerByMessage: ReadonlySet<string>;
  /** The agent for messages that name no agent. */
  readonly firstAgent: string;
  readonly maxBodyBytes: number;
};

/** The function that received the options, for errors, and the names of the served agents and teams in order. */
export type A2AOwner = {
  readonly owner: string;
  /** @default agents before teams */
  readonly names?: readonly string[] | undefined;
};

const defaultBodyBytes = 10_485_760;

/** Makes the {@link A2AParts} of a service. Throws `invalid_config` if the options do not fit the service. */
export function partsOf(service: Service, settings: A2ASettings, { owner, names }: A2AOwner): A2AParts {
  const { pushNotifications, mayAnswerByMessage, baseUrl, basePath } = settings;
  const runs = new TaskRuns(service, names ?? [...service.agents.keys(), ...service.teams.keys()]);
  const [firstAgent] = runs.agents.keys();
  if (firstAgent === undefined) throw wrong(`${owner} needs at least one agent or team by its name.`);
  const unknown = mayAnswerByMessage.find((name) => !runs.agents.has(name));
  if (unknown !== undefined) {
    throw wrong(`mayAnswerByMessage of ${owner} must have names of agents, got ${JSON.stringify(unknown)}.`);
  }
  if (pushNotifications !== false && service.runs?.webhooks.canSubscribe === false) {
    const problem = `pushNotifications of ${owner} would store addresses and tokens of receivers.`;
    throw wrong(`${problem} Give sealKeys to the RunService, or to durable: they are encrypted with them.`);
  }
  const issuer = baseUrl && baseUrl + basePath;
  return {
    service,
    settings,
    runs,
    push:
      pushNotifications === false ? undefined : openPush(service, { settings: pushNotifications, issuer, basePath }),
    mayAnswerByMessage: new Set(mayAnswerByMessage),
    firstAgent,
    maxBodyBytes: service.settings.maxBodyBytes ?? defaultBodyBytes,
  };
}

function wrong(message: string): TroupeError {
  return new TroupeError("invalid_config", message);
}
