import { rulesOf } from "../rule.ts";

/** Rules for what is published. */
export const packageRules = rulesOf("What the service does", {
  "package.metadata": "each package names its repository, homepage, bugs and keywords",
  "package.links": "the links of a package's README work on npm",
});
