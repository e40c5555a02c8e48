# Completion of firstseen for bash. The installed command prints it, so it has the flags of that version.
source <(firstseen --generate complete-bash)
