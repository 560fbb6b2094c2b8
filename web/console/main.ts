/** The one entry of the build: the console, or the door to it; the colours come first. */
import './styles/tokens.css'
import './styles/base.css'

import { showTheme } from './stores/theme'

showTheme()

void (location.pathname === '/login' ? import('./login') : import('./console'))
