/** The console: loads who we are, follows what happens, and draws itself on `#app`. */
import { createApp, watchEffect } from 'vue'

import { api } from './api/client'
import App from './App.vue'
import { lang, loadWords, t } from './i18n'
import { start } from './live/hub'
import { chat, followChat } from './stores/chat'
import { loadConfig } from './stores/config'
import { loadConversations } from './stores/conversations'
import { followDevices, loadDevices } from './stores/devices'
import { page } from './stores/page'
import { followRuns, loadRuns } from './stores/runs'
import { loadMe } from './stores/session'
import { followStorage } from './stores/storage'
import { report } from './stores/toasts'

const app = createApp(App)
app.config.errorHandler = report
addEventListener('unhandledrejection', (event) => report(event.reason))

function nameWindow(): void {
  const here = page.view === 'chat' ? chat.title || t('nav.chat') : t(`nav.${page.view}`)
  document.title = `${here} · Phonedeck`
}

/** Who we are comes first: without it nothing else would be answered. */
async function begin(): Promise<void> {
  await loadWords(lang.value)
  await loadMe()
  watchEffect(nameWindow)
  app.mount('#app')
  followRuns()
  followDevices()
  followStorage()
  // a refused stream may mean a lost login; asking for anything then leads to the login page
  start(() => void api('/api/auth/me').catch(report))
  followChat()
  await Promise.all([loadDevices(), loadRuns(), loadConversations(), loadConfig()])
}

begin().catch((error: unknown) => {
  report(error)
  if (!document.querySelector('.app')) app.mount('#app')
})
