/** An error that the user can mend. Its message says how. */
export class ProjectError extends Error {
  override readonly name = "ProjectError";
}
