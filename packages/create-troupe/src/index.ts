// Functions and types for creating a project.
export { createProject } from "./create-project.ts";
export type { CreatedProject, CreateProjectOptions } from "./create-project.ts";
export { ProjectError } from "./project-error.ts";
export type { ParentWorkspace } from "./parent-workspace.ts";
export type { TemplateName } from "./templates.ts";
export type { VendorName } from "./vendors.ts";
export type { PackageManagerName } from "./package-manager.ts";

// Functions and types for adding packages to an existing project.
export { addPackage } from "./add-package.ts";
export type { AddedPackage } from "./add-package.ts";
