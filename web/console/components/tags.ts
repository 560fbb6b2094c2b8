/** Tags as a person writes them: one line, separated by commas of either script. */

export function tagsOf(line: string): string[] {
  const found = line.split(/[,，、;；]/).map((part) => part.trim().replace(/\s+/g, ' '))
  return [...new Set(found.filter(Boolean))]
}

export function lineOf(tags: string[]): string {
  return tags.join(', ')
}
