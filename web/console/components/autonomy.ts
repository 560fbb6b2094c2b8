/** How much an agent does alone, from the most careful on. */
export const AUTONOMY = ['observe', 'confirm_all', 'confirm_risky', 'auto'] as const

export type Autonomy = (typeof AUTONOMY)[number]
