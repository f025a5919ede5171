import type { Workflow } from "@troupe/core";

/** A workflow over whatever state. */
export type ServedWorkflow = Pick<Workflow<object>, "name" | "description" | "eventBus" | "run" | "stream"> &
  Partial<Pick<Workflow<object>, "inputKinds">>;
