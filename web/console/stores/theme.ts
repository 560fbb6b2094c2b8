/** Light or dark: the system's choice until somebody toggles it here. */
import { ref } from 'vue'

type Theme = 'light' | 'dark'

const system = matchMedia('(prefers-color-scheme: dark)')

function stored(): Theme | null {
  const value = localStorage.getItem('theme')
  return value === 'light' || value === 'dark' ? value : null
}

export const theme = ref<Theme>(stored() ?? (system.matches ? 'dark' : 'light'))

system.addEventListener('change', (event) => {
  if (!stored()) theme.value = event.matches ? 'dark' : 'light'
})

/** Put the stored choice on the page; without one the page follows the system. */
export function showTheme(): void {
  const choice = stored()
  if (choice) document.documentElement.dataset.theme = choice
}

export function toggleTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark'
  localStorage.setItem('theme', theme.value)
  showTheme()
}
