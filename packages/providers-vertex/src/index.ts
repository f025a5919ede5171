export type { ModelRules } from "./model-rules.ts";
export { vertex } from "./vertex.ts";
export type { AuthClient, ServiceAccount, VertexOptions } from "./vertex-options.ts";
