import { ServiceApi } from "@troupe-internal/client";
import type { RunInfo, RunnableKind } from "@troupe-internal/client";
import type { Settings } from "../settings.ts";
import { exampleOf, toWorkflowInput } from "./workflow-input.ts";
import type { WorkflowFields } from "./workflow-input.ts";

/**
 * A request to run an agent, a team or a workflow: the text, attached files, and the session that the run continues.
 */
export type RunRequest = {
  readonly kind: RunnableKind;
  readonly name: string;
  readonly text: string;
  /** The input of a workflow, if the user has filled in its form. The text then shows the same fields. */
  readonly fields?: WorkflowFields | undefined;
  readonly files: readonly File[];
  readonly sessionId: string | undefined;
};

/** The service's API as the page uses it. Vendor keys are sent only in headers of requests that start runs. */
export class Api extends ServiceApi {
  /** False if the service has no users, and so lists no sessions and runs. */
  readonly hasUsers: boolean;
  readonly #suggestions: Settings["suggestions"];
  readonly #keyHeaders: () => Record<string, string>;

  constructor(
    { api, hasUsers, suggestions }: Pick<Settings, "api" | "hasUsers" | "suggestions">,
    keyHeaders: () => Record<string, string>,
  ) {
    super({ baseUrl: api });
    this.hasUsers = hasUsers;
    this.#suggestions = suggestions;
    this.#keyHeaders = keyHeaders;
  }

  /** Starts a run, which continues if this connection breaks, and returns the stream of its events. */
  async start({ text, fields, ...request }: RunRequest, key: string): Promise<Response> {
    const isWorkflow = request.kind === "workflow";
    const input = isWorkflow ? (fields ?? toWorkflowInput(text, exampleOf(request, this.#suggestions))) : text;
    return await this.request({ ...request, input, headers: this.#keyHeaders() }, { path: "stream", key });
  }

  /** Returns the caller's newest durable runs; none if the service has no users. */
  async newestRuns(): Promise<readonly RunInfo[]> {
    return this.hasUsers ? (await this.runs({ limit: 50 })).runs : [];
  }
}
