export { createPage } from "./create-page.ts";
export type { AuthorizeInspector } from "./inspector/access.ts";
export type { InspectorOptions } from "./inspector/inspector-routes.ts";
export type { PageOptions } from "./page-options.ts";
