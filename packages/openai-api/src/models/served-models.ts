import type { Runnable } from "@troupe/core";
import type { RunKind } from "@troupe/core/runs";
import type { ServiceRequest, ServedWorkflow } from "@troupe/core/service";
import type { Exchange, Service } from "@troupe/core/transport";
import { apiError } from "../wire/api-error.ts";

/** An agent, team or workflow of the service, shown to clients as a model. */
export type ServedModel = {
  /**
   * The id of the model: the name of the agent, team or workflow, or `<kind>/<name>` for a team or workflow that
   * shares its name with another model.
   */
  readonly id: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly subject: Runnable | ServedWorkflow;
};

/** A model as passed to the option `mayRun`. */
export type ServedModelInfo = Pick<ServedModel, "id" | "kind" | "name">;

/** Returns true if the caller of a request may run a model. */
export type MayRunModel = (request: ServiceRequest, model: ServedModelInfo) => boolean | Promise<boolean>;

/** The agents, teams and workflows of a service as models. */
export class ServedModels {
  readonly #models: ReadonlyMap<string, ServedModel>;
  readonly #mayRun: MayRunModel | undefined;
  /** The creation time of all models, in seconds: the time when the routes were created. */
  readonly #created = Math.floor(Date.now() / 1000);

  constructor({ agents, teams, workflows }: Service, mayRun: MayRunModel | undefined) {
    const models = new Map<string, ServedModel>();
    const registries = { agent: agents, team: teams, workflow: workflows } as const;
    for (const kind of ["agent", "team", "workflow"] as const) {
      for (const [name, subject] of registries[kind]) {
        const id = models.has(name) ? `${kind}/${name}` : name;
        models.set(id, { id, kind, name, subject });
      }
    }
    this.#models = models;
    this.#mayRun = mayRun;
  }

  /** All models, including models that a caller may not run. */
  get all(): Iterable<ServedModel> {
    return this.#models.values();
  }

  /**
   * Returns a model by its id. Throws `not_found`, with the code `model_not_found`, for a model that is unknown or
   * that the caller may not run.
   */
  async find(exchange: Exchange, id: unknown, param: string | undefined = "model"): Promise<ServedModel> {
    const model = typeof id === "string" ? this.#models.get(id) : undefined;
    if (model !== undefined && (await this.#isAllowed(exchange, model))) return model;
    if (typeof id !== "string") throw apiError("invalid_request", "model must be the name of a model.", { param });
    const message = `The model ${JSON.stringify(id.slice(0, 128))} does not exist, or you may not use it.`;
    throw apiError("not_found", message, { param, code: "model_not_found" });
  }

  /** Lists the models that the caller may run. */
  async list(exchange: Exchange): Promise<object> {
    const allowed = await Promise.all([...this.all].map(async (model) => await this.#isAllowed(exchange, model)));
    const data = [...this.all].filter((_, index) => allowed[index]).map((model) => this.describe(model));
    return { object: "list", data };
  }

  describe({ id, kind, subject }: ServedModel): object {
    const { description } = subject as { readonly description?: string | undefined };
    return {
      id,
      object: "model",
      created: this.#created,
      owned_by: "troupe",
      kind,
      ...(description !== undefined && { description }),
    };
  }

  async #isAllowed(exchange: Exchange, { id, kind, name }: ServedModel): Promise<boolean> {
    return this.#mayRun === undefined || (await this.#mayRun(exchange.toRequest(), { id, kind, name }));
  }
}
