/**
 * Whether a key belongs to an input method, which uses Enter to choose what it offers.
 *
 * Safari ends the composition before it tells of that Enter, and marks it by the code 229 only.
 */
export function composes(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229
}
