export type { Accent } from "./accent.ts";
export { createPage } from "./create-page.ts";
export type { MountedPageOptions } from "./create-page.ts";
export type { AuthorizeInspector } from "./inspector/access.ts";
export type { InspectorOptions } from "./inspector/inspector-routes.ts";
export type { ShareOptions } from "./shares/share-routes.ts";
export { page } from "./page.ts";
export type { PageOptions } from "./page-options.ts";
