/** A table as spreadsheets copy it, or as a CSV file has it: the first line names the values. */
export function rowsOf(text: string): Record<string, string>[] {
  const table = cells(text.trim())
  const [head = [], ...rest] = table
  const names = head.map((name) => name.trim())
  return rest
    .filter((row) => row.some((cell) => cell.trim()))
    .map((row) => Object.fromEntries(names.flatMap((name, at) => (name ? [[name, row[at] ?? '']] : []))))
}

/** Cells between tabs where there are any, else between commas; quoted ones may hold both and line ends. */
function cells(text: string): string[][] {
  const between = text.includes('\t') ? '\t' : ','
  const rows: string[][] = [['']]
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]!
    const row = rows.at(-1)!
    const last = row.length - 1
    if (quoted && sign === '"' && text[at + 1] === '"') {
      row[last] += '"'
      at += 1
    } else if (sign === '"' && (quoted || row[last] === '')) quoted = !quoted
    else if (quoted) row[last] += sign
    else if (sign === between) row.push('')
    else if (sign === '\n') rows.push([''])
    else if (sign !== '\r') row[last] += sign
  }
  return rows
}
