# Completion of firstseen for fish. The installed command prints it, so it has the flags of that version.
firstseen --generate complete-fish | source
