/** An error that the user can correct. Its message says how to do this. */
export class ProjectError extends Error {
  override readonly name = "ProjectError";
}
