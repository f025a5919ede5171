export type { AuthClient, GmailToolkitOptions } from "./gmail-options.ts";
export { GmailToolkit } from "./gmail-toolkit.ts";
