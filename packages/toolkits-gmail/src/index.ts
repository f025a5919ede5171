export type { GmailToolkitOptions } from "./gmail-options.ts";
export { GmailToolkit } from "./gmail-toolkit.ts";
export type { AuthClient } from "./oauth/client-tokens.ts";
