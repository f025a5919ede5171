export { createPage } from "./create-page.ts";
export type { PageOptions } from "./page-options.ts";
