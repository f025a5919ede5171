import { TroupeError } from "../../base/errors/troupe-error.ts";
import { registryEntries } from "../../agents/run/registry.ts";
import type { RunKind } from "../run-store/run-view.ts";
import type { RunEngine } from "./run-engine.ts";
import type { ServiceParts } from "./service-parts.ts";

/** The facts about a `RunService` from which a transport decides if it serves the service. */
export class ServiceHosting {
  readonly #parts: ServiceParts;
  readonly #engine: RunEngine;
  readonly #isServing: () => boolean;

  constructor(parts: ServiceParts, engine: RunEngine, isServing: () => boolean) {
    this.#parts = parts;
    this.#engine = engine;
    this.#isServing = isServing;
  }

  /** Returns the names under which the service runs agents, teams or workflows. */
  names(kind: RunKind): string[] {
    return registryEntries<object>(this.#parts.registries[`${kind}s`]).map(([name]) => name);
  }

  /**
   * Throws `invalid_config` if no transport may serve the service: the treatment of callers' API keys is not
   * configured.
   */
  checkServable(): void {
    if (this.#parts.vault.isSettled) return;
    throw new TroupeError(
      "invalid_config",
      "A RunService with a lasting storage needs sealKeys where it is served, with which the API keys of callers are encrypted. Give it secrets of 32 characters or more, or sealKeys: false to refuse requests with a key.",
    );
  }

  /** True if other processes may perform the runs: the engine distributes them. */
  get isShared(): boolean {
    return this.#engine.isServed === undefined;
  }

  /**
   * Returns the place in which runs are performed. `"here"`: this process, also while `serve` begins. `"elsewhere"`:
   * another live process. `"none yet"`: no process at present, but others may come. `"nothing"`: the engine is local
   * and is not served.
   */
  async findPerformer(): Promise<"here" | "elsewhere" | "none yet" | "nothing"> {
    if (this.#isServing()) return "here";
    if (this.#engine.isServed !== undefined) return this.#engine.isServed() ? "here" : "nothing";
    return (await this.#parts.nodes.someOther(() => true)) ? "elsewhere" : "none yet";
  }
}
