import { createContext } from "preact";
import type { ComponentType } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { DeclaredStep } from "../../src/inspector/inspected-run.ts";
import type { Settings } from "../settings.ts";
import { loadStyle } from "../ui/load-style.ts";
import type { StepGraphProps } from "./step-graph.tsx";
import type { Turn } from "./turn.ts";

/** The graph of a workflow: its declared steps, and the component that draws them. */
export type LoadedGraph = {
  readonly declared: readonly DeclaredStep[];
  readonly Graph: ComponentType<StepGraphProps>;
};

/** Loads the graphs of workflows when they are first shown, each once. */
export class StepGraphs {
  readonly #settings: Pick<Settings, "base" | "graphStyle">;
  readonly #loading = new Map<string, Promise<LoadedGraph | undefined>>();
  readonly #loaded = new Map<string, LoadedGraph>();

  constructor(settings: Pick<Settings, "base" | "graphStyle">) {
    this.#settings = settings;
  }

  /** Returns the graph of a workflow that is already loaded, if any. */
  known(workflow: string): LoadedGraph | undefined {
    return this.#loaded.get(workflow);
  }

  /** Loads the graph of a workflow. Resolves to undefined if there is none: its steps are then shown as a list. */
  async load(workflow: string): Promise<LoadedGraph | undefined> {
    const known = this.#loading.get(workflow);
    if (known !== undefined) return await known;
    const loading = this.#load(workflow).catch(() => undefined);
    this.#loading.set(workflow, loading);
    const graph = await loading;
    if (graph === undefined) this.#loading.delete(workflow);
    else this.#loaded.set(workflow, graph);
    return graph;
  }

  async #load(workflow: string): Promise<LoadedGraph | undefined> {
    const { base, graphStyle } = this.#settings;
    if (graphStyle === undefined) return undefined;
    const reading = fetch(new URL(`assets/workflows/${encodeURIComponent(workflow)}`, base));
    const [{ StepGraph }, response] = await Promise.all([import("./step-graph.tsx"), reading, loadStyle(graphStyle)]);
    if (!response.ok) return undefined;
    const { steps } = (await response.json()) as { readonly steps: readonly DeclaredStep[] };
    return steps.length === 0 ? undefined : { declared: steps, Graph: StepGraph };
  }
}

/** The graphs of workflows for the turns of a chat. Without them, steps are shown as a list. */
export const StepGraphsContext = createContext<StepGraphs | undefined>(undefined);

/** Returns the graph of a turn's workflow once it is loaded. */
export function useStepGraph({ kind, name }: Pick<Turn, "kind" | "name">): LoadedGraph | undefined {
  const graphs = useContext(StepGraphsContext);
  const [graph, setGraph] = useState(() => (kind === "workflow" ? graphs?.known(name) : undefined));
  useEffect(() => {
    let isLeft = false;
    const load = async (): Promise<void> => {
      const loaded = await graphs?.load(name);
      if (!isLeft) setGraph(loaded);
    };
    if (kind === "workflow" && graph === undefined) void load();
    return () => void (isLeft = true);
  }, [graphs, kind, name]);
  return graph;
}
